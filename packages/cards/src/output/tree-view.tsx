import { useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { useLanguage } from '../messages/provider.tsx';
import { Icon } from '../parts/icons.tsx';
import { Printed } from '../parts/printed.tsx';
import { printable } from '../text/printable.ts';
import type { JsonValue } from './data.ts';
import { isBranch, openAtFirst, visibleNodes, type TreeNode } from './tree.ts';

const maxShown = 300;

/** JSON as a tree. The arrow keys move in it, open and close; Home and End go to its ends. */
export function TreeView({ value, label }: { value: JsonValue; label: string }): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [open, setOpen] = useState(() => openAtFirst(value));
  const [focused, setFocused] = useState('$');
  const nodes = useMemo(() => visibleNodes(value, open), [value, open]);

  const focus = (node: TreeNode | undefined): void => {
    if (node === undefined) return;
    setFocused(node.path);
    const index = nodes.indexOf(node);
    list.current?.scrollToIndex(index, { align: 'nearest' });
    // The row may have to be rendered first.
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true }),
    );
  };
  const toggle = (node: TreeNode, isOpen: boolean): void => {
    if (!isBranch(node.value)) return;
    const next = new Set(open);
    if (isOpen) next.add(node.path);
    else next.delete(node.path);
    setOpen(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const index = nodes.findIndex(({ path }) => path === focused);
    const node = nodes[index];
    if (node === undefined) return;
    const isOpen = open.has(node.path);
    const actions: Record<string, () => void> = {
      ArrowDown: () => focus(nodes[index + 1]),
      ArrowUp: () => focus(nodes[index - 1]),
      Home: () => focus(nodes[0]),
      End: () => focus(nodes.at(-1)),
      ArrowRight: () => (isBranch(node.value) && !isOpen ? toggle(node, true) : focus(nodes[index + 1])),
      ArrowLeft: () =>
        isBranch(node.value) && isOpen
          ? toggle(node, false)
          : focus(nodes.slice(0, index).findLast(({ level }) => level < node.level)),
      Enter: () => toggle(node, !isOpen),
      ' ': () => toggle(node, !isOpen),
    };
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };

  return (
    <div ref={scroller} className="ms-tree" dir="ltr">
      <div role="tree" aria-label={label} onKeyDown={onKeyDown}>
        <Virtualizer ref={list} scrollRef={scroller} data={nodes} itemSize={20}>
          {(node, index) => (
            <div
              key={node.path}
              role="treeitem"
              className="ms-tree-node"
              data-index={index}
              aria-level={node.level}
              aria-setsize={node.size}
              aria-posinset={node.position}
              aria-expanded={isBranch(node.value) ? open.has(node.path) : undefined}
              aria-selected={node.path === focused}
              tabIndex={node.path === focused ? 0 : -1}
              style={{ paddingInlineStart: `${Math.min(node.level, 40) - 1}rem` }}
              onFocus={() => setFocused(node.path)}
              onClick={() => toggle(node, !open.has(node.path))}
            >
              <NodeText node={node} isOpen={open.has(node.path)} />
            </div>
          )}
        </Virtualizer>
      </div>
    </div>
  );
}

function NodeText({ node: { name, value }, isOpen }: { node: TreeNode; isOpen: boolean }): ReactElement {
  const { t } = useLanguage();
  const key = name === undefined ? undefined : <span className="ms-tree-key">{printable(name)}</span>;
  if (!isBranch(value)) {
    return (
      <>
        <span className="ms-tree-space" />
        {key}
        <span className={`ms-json-${value === null ? 'null' : typeof value}`}>
          <Printed text={scalarText(value)} isOutput />
        </span>
      </>
    );
  }
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  return (
    <>
      <span className="ms-tree-chevron" data-open={isOpen || undefined}>
        <Icon name="chevron" />
      </span>
      {key}
      <span className="ms-tree-count">{t(Array.isArray(value) ? 'items' : 'keys', { count })}</span>
    </>
  );
}

function scalarText(value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const text = value.length > maxShown ? `${value.slice(0, maxShown)}…` : value;
  return JSON.stringify(text);
}
