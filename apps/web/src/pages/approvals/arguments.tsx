import { compareArguments } from '@/domain/arguments';
import { visible } from '@/lib/format';
import { Json } from '@/ui/json';

const WORD = { same: '', changed: 'changed', added: 'added', removed: 'removed' } as const;

/** One row per argument, with what it was in the last approved call. */
export function Arguments({ text, before }: { text: string; before: string | undefined }) {
  const rows = compareArguments(text, before);
  if (!rows) return <Json value={text} label="Arguments" />;
  if (rows.length === 0) return <p className="panel px-3 py-2 text-muted">The call has no arguments.</p>;
  return (
    <dl className="panel rows overflow-hidden">
      {rows.map(({ key, before: old, after, change }) => (
        <div key={key} className={`grid grid-cols-[104px_minmax(0,1fr)] gap-3 px-3 py-2 max-tab:grid-cols-1 max-tab:gap-1 ${change === 'same' ? '' : 'bg-wait-soft'}`}>
          <dt>
            <span className="fact">{visible(key)}</span>
            {change !== 'same' && <span className="block text-2xs font-medium text-wait">{WORD[change]}</span>}
          </dt>
          <dd className="fact min-w-0 whitespace-pre-wrap">
            {change === 'same' ? (
              visible(after ?? '')
            ) : (
              <>
                {old !== undefined && (
                  <span className="block text-bad">
                    <span aria-label="was">− </span>
                    <s>{visible(old)}</s>
                  </span>
                )}
                {after !== undefined && (
                  <span className="block">
                    <span className="text-ok" aria-label="is">+ </span>
                    {visible(after)}
                  </span>
                )}
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
