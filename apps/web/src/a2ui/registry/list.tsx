import { visible } from '@/lib/format';
import type { List } from '../document';
import { showCell } from './cell';
import type { RegistryProps } from './index';
import { Toned } from './tone';

export function A2uiList({ props: { ordered, items } }: RegistryProps<List>) {
  const List = ordered ? 'ol' : 'ul';
  return (
    <List className={`grid gap-1.5 pl-5 text-md ${ordered ? 'list-decimal' : 'list-disc'}`}>
      {items.map((item, i) =>
        typeof item === 'string' ? (
          <li key={i} className="break-words whitespace-pre-wrap">
            {visible(item)}
          </li>
        ) : (
          <li key={i} className="break-words">
            <span className="flex flex-wrap justify-between gap-x-4">
              <Toned tone={item.tone}>{visible(item.label)}</Toned>
              {item.value !== undefined && item.value !== null && <span className="num">{showCell(item.value)}</span>}
            </span>
            {item.detail && <span className="block text-xs whitespace-pre-wrap text-muted">{visible(item.detail)}</span>}
          </li>
        ),
      )}
    </List>
  );
}
