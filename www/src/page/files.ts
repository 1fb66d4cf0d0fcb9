/** Files from a drop or a file dialog. Folders are searched; unknown files are skipped. */
import { EXTENSIONS, extensionOf } from './formats.ts';

/** Deeper folders are not searched. */
const MAX_DEPTH = 8;

/** At most this many files are taken from a folder, in case a whole disk is dropped. */
const MAX_FILES = 2000;

/** The name without folders and extension. */
export function baseName(name: string): string {
  const file = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const dot = file.lastIndexOf('.');
  return dot > 0 ? file.slice(0, dot) : file;
}

/** Whether a drag contains files, and not text for example. */
export function carriesFiles(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes('Files') ?? false;
}

/** All files of a drop, including those in folders. Must be called inside the drop event. */
export async function filesOf(transfer: DataTransfer): Promise<File[]> {
  // Items are invalid after the first await, so all entries are read first.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const loose = [...transfer.files];
  if (!entries.some((entry) => entry?.isDirectory)) return loose;
  const found: File[] = [];
  for (const entry of entries) if (entry) await walk(entry, found, 0);
  return found;
}

/** Files with a known extension, or else all of them, so that the reader reports the error. */
export function readable(files: readonly File[]): readonly File[] {
  const wanted = files.filter((file) => EXTENSIONS.all.includes(extensionOf(file.name)));
  return wanted.length ? wanted : files;
}

export function areSkeletons(files: readonly File[]): boolean {
  return files.length > 0 && files.every((file) => EXTENSIONS.skeletonsOnly.includes(extensionOf(file.name)));
}

/** Formats of motions without a mesh. */
const MOTIONS = ['.bvh', '.vrma'];

export function areMotions(files: readonly File[]): boolean {
  return files.length > 0 && files.every((file) => MOTIONS.includes(extensionOf(file.name)));
}

/** The file that names the character: the first that may contain a mesh. */
export function mainFile(files: readonly File[]): File | undefined {
  const found = EXTENSIONS.meshes.map((extension) =>
    files.find((file) => extensionOf(file.name) === extension),
  );
  return found.find((file) => file !== undefined) ?? files[0];
}

/** Opens the file dialog of the browser; empty if it is cancelled. */
export function choose(options: { folder?: boolean; accept?: readonly string[] } = {}): Promise<File[]> {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.hidden = true;
  if (options.folder) input.webkitdirectory = true;
  else input.accept = (options.accept ?? EXTENSIONS.all).join(',');
  // Some browsers do not fire `change` for an input outside the document.
  document.body.append(input);
  return new Promise((resolve) => {
    const finish = (): void => {
      resolve([...(input.files ?? [])]);
      input.remove();
    };
    input.addEventListener('change', finish, { once: true });
    input.addEventListener('cancel', finish, { once: true });
    input.click();
  });
}

async function walk(entry: FileSystemEntry, found: File[], depth: number): Promise<void> {
  if (found.length >= MAX_FILES || depth > MAX_DEPTH || entry.name.startsWith('.')) return;
  if (entry.isFile) {
    found.push(await fileOf(entry as FileSystemFileEntry));
  } else {
    for (const child of await childrenOf(entry as FileSystemDirectoryEntry))
      await walk(child, found, depth + 1);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** Children arrive in batches; the last batch is empty. */
async function childrenOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (!batch.length) return all;
    all.push(...batch);
  }
}
