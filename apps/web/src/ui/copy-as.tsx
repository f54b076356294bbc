import { Link2, SquareTerminal } from 'lucide-react';
import { type Copyable, curlCommand, grpcCommand, palyraCommand } from '@/api/commands';
import { Button } from './button';
import { copyText } from './copy';
import { Menu } from './menu';

/** Copies an action as a `palyra` command, a request over HTTP or gRPC, or a link to this page. */
export function CopyAs({ action, small }: { action: Copyable; small?: boolean }) {
  const curl = curlCommand(action);
  const grpc = grpcCommand(action);
  const items = [
    { label: 'palyra', icon: SquareTerminal, onSelect: () => void copyText(palyraCommand(action.palyra)) },
    ...(curl ? [{ label: 'curl', icon: SquareTerminal, onSelect: () => void copyText(curl) }] : []),
    ...(grpc ? [{ label: 'gRPC', icon: SquareTerminal, hint: 'grpcurl', onSelect: () => void copyText(grpc) }] : []),
    { label: 'Link', icon: Link2, onSelect: () => void copyText(location.href) },
  ];
  return (
    <Menu
      title="Copy as"
      items={items}
      trigger={
        <Button small={small}>
          <SquareTerminal size={15} aria-hidden />
          Copy as
        </Button>
      }
    />
  );
}
