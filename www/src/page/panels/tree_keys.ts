/** The keys of a tree, as the ARIA authoring practices have them. */

export interface TreeActions {
  choose(name: string): void;
  fold(name: string, shut: boolean): void;
  isClosed(name: string): boolean;
}

function itemsOf(tree: HTMLElement): HTMLElement[] {
  return [...tree.querySelectorAll<HTMLElement>('[role=treeitem]')];
}

/** Makes `item` the one that Tab reaches. */
function stopAt(tree: HTMLElement, item: HTMLElement): void {
  for (const each of itemsOf(tree)) each.tabIndex = each === item ? 0 : -1;
}

function attach(tree: HTMLElement, actions: TreeActions): void {
  let typed = '';
  let typedAt = 0;

  const go = (item: HTMLElement | undefined): void => {
    if (!item) return;
    stopAt(tree, item);
    item.focus();
  };
  /** Goes to the next row whose name goes on as typed; whether there is one. */
  const search = (letter: string, items: HTMLElement[], at: number): boolean => {
    const now = performance.now();
    typed = now - typedAt > 700 ? letter : typed + letter;
    typedAt = now;
    const from = typed.length > 1 ? at : at + 1;
    const order = [...items.slice(from), ...items.slice(0, from)];
    const found = order.find((item) => item.dataset['joint']?.toLowerCase().startsWith(typed.toLowerCase()));
    // What leads nowhere is no beginning of what is typed next.
    if (!found) typed = '';
    go(found);
    return found !== undefined;
  };

  tree.addEventListener('keydown', (event) => {
    const item =
      event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[role=treeitem]') : null;
    const name = item?.dataset['joint'];
    if (!item || name === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const items = itemsOf(tree);
    const at = items.indexOf(item);
    const expanded = item.getAttribute('aria-expanded');
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(items[at + 1]),
      ArrowUp: () => go(items[at - 1]),
      Home: () => go(items[0]),
      End: () => go(items.at(-1)),
      ArrowRight: () =>
        expanded === 'false' ? actions.fold(name, false) : expanded === 'true' && go(items[at + 1]),
      ArrowLeft: () =>
        expanded === 'true'
          ? actions.fold(name, true)
          : go(items.find((each) => each.dataset['joint'] === item.dataset['parent'])),
      Enter: () => actions.choose(name),
      ' ': () => actions.choose(name),
    };
    const action = keys[event.key];
    if (action) action();
    // A key that begins no name is the page's: 2 shows the weights.
    else if (!/^[\p{L}\p{N}_]$/u.test(event.key) || !search(event.key, items, at)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

export const treeKeys = { attach, stopAt };
