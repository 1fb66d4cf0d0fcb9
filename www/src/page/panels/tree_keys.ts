/**
 * The keys of a tree, after the ARIA authoring practices. Letters are not used for type-ahead: they
 * are shortcuts of the page, and the list has a search field.
 */

export interface TreeActions {
  choose(name: string): void;
  fold(name: string, shut: boolean): void;
}

function itemsOf(tree: HTMLElement): HTMLElement[] {
  return [...tree.querySelectorAll<HTMLElement>('[role=treeitem]')];
}

/** Makes `item` the one that Tab reaches. */
function stopAt(tree: HTMLElement, item: HTMLElement): void {
  for (const each of itemsOf(tree)) each.tabIndex = each === item ? 0 : -1;
}

function attach(tree: HTMLElement, actions: TreeActions): void {
  const focus = (item: HTMLElement | undefined): void => {
    if (!item) return;
    stopAt(tree, item);
    item.focus();
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
      ArrowDown: () => focus(items[at + 1]),
      ArrowUp: () => focus(items[at - 1]),
      Home: () => focus(items[0]),
      End: () => focus(items.at(-1)),
      ArrowRight: () =>
        expanded === 'false' ? actions.fold(name, false) : expanded === 'true' && focus(items[at + 1]),
      ArrowLeft: () =>
        expanded === 'true'
          ? actions.fold(name, true)
          : focus(items.find((each) => each.dataset['joint'] === item.dataset['parent'])),
      Enter: () => actions.choose(name),
      ' ': () => actions.choose(name),
    };
    const action = keys[event.key];
    if (!action) return;
    action();
    event.preventDefault();
    event.stopPropagation();
  });
}

export const treeKeys = { attach, stopAt };
