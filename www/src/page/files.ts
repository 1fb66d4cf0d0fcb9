/** Files from a drop or a chooser: folders are walked, what no reader wants is left out. */

/** What a model, its textures or its skeleton may be stored in. */
export const READABLE = [
  '.glb',
  '.gltf',
  '.bin',
  '.obj',
  '.mtl',
  '.ply',
  '.stl',
  '.tgf',
  '.json',
  '.png',
  '.jpg',
  '.jpeg',
  '.webp',
  '.ktx2',
] as const;

/** Files that can hold nothing but a skeleton. */
const SKELETON_ONLY = ['.tgf', '.json'];

/** Deeper folders than this are no model's. */
const DEEPEST = 8;

/** More files than this are somebody's home folder. */
const MOST = 2000;

export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot).toLowerCase();
}

/** The name without folders and extension. */
export function baseName(name: string): string {
  const file = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const dot = file.lastIndexOf('.');
  return dot > 0 ? file.slice(0, dot) : file;
}

/** Whether a drag carries files at all (and not, say, selected text). */
export function carriesFiles(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes('Files') ?? false;
}

/** All files of a drop, those inside folders included. Must be called while the drop event is handled. */
export async function filesOf(transfer: DataTransfer): Promise<File[]> {
  // The items are gone after the first await, so every entry is taken at once.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const loose = [...transfer.files];
  if (!entries.some((entry) => entry?.isDirectory)) return loose;
  const found: File[] = [];
  for (const entry of entries) if (entry) await walk(entry, found, 0);
  return found;
}

/** Those worth reading; everything when none is, so that the reader can say what is wrong with it. */
export function readable(files: readonly File[]): readonly File[] {
  const wanted = files.filter((file) => (READABLE as readonly string[]).includes(extensionOf(file.name)));
  return wanted.length ? wanted : files;
}

export function areSkeletons(files: readonly File[]): boolean {
  return files.length > 0 && files.every((file) => SKELETON_ONLY.includes(extensionOf(file.name)));
}

/** The file a character is named after: one that can hold a mesh, the likeliest format first. */
export function mainFile(files: readonly File[]): File | undefined {
  const order = ['.glb', '.gltf', '.obj', '.ply', '.stl'];
  const found = order.map((extension) => files.find((file) => extensionOf(file.name) === extension));
  return found.find((file) => file !== undefined) ?? files[0];
}

/** Opens the browser's chooser; empty when the user thinks better of it. */
export function choose(options: { folder?: boolean; accept?: readonly string[] } = {}): Promise<File[]> {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.hidden = true;
  if (options.folder) input.webkitdirectory = true;
  else input.accept = (options.accept ?? READABLE).join(',');
  // Some browsers drop the change event of an input that is not in the page.
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
  if (found.length >= MOST || depth > DEEPEST || entry.name.startsWith('.')) return;
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

/** A directory gives its children in batches and an empty one at the end. */
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
