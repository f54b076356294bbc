import { Dialog } from '@/ui/dialog';

const KEYS: readonly (readonly [string, readonly string[][]])[] = [
  ['Command palette', [['Ctrl', 'K']]],
  ['Next or previous', [['J'], ['K']]],
  ['Open', [['↵']]],
  ['Approve current call', [['A']]],
  ['Deny current call', [['D']]],
  ['Go to home', [['G', 'H']]],
  ['Go to approvals', [['G', 'A']]],
  ['Go to runs', [['G', 'R']]],
  ['Go to skills', [['G', 'S']]],
  ['Go to journal', [['G', 'J']]],
  ['Filter list', [['/']]],
  ['Keyboard shortcuts', [['?']]],
];

export default function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid gap-2">
        {KEYS.map(([name, combos]) => (
          <div key={name} className="flex items-center">
            <dt className="flex-1">{name}</dt>
            <dd className="flex items-center gap-1.5">
              {combos.map((keys, i) => (
                <span key={keys.join()} className="flex items-center gap-1">
                  {i > 0 && <span className="text-subtle">or</span>}
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p className="text-xs text-subtle">Single-key shortcuts can be turned off in Settings.</p>
    </Dialog>
  );
}
