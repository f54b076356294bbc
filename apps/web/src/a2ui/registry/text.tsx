import { visible } from '@/lib/format';
import type { Text } from '../document';
import type { RegistryProps } from './index';
import { Toned } from './tone';

export function A2uiText({ props: { value, tone } }: RegistryProps<Text>) {
  return (
    <p className="text-md break-words whitespace-pre-wrap">
      <Toned tone={tone}>{visible(value)}</Toned>
    </p>
  );
}
