import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { grpc, type GrpcCall } from './grpc';

/** The text of every file of a package such as `palyra.skills.v1`, without comments. */
function schemaOf(packageName: string): string {
  const folder = `../../schemas/proto/${packageName.replaceAll('.', '/')}`;
  return readdirSync(folder)
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8').replaceAll(/\/\/.*$/gm, ''))
    .join('\n');
}

it.each(Object.entries(grpc))('%s_is_a_method_of_the_schemas', (_, make: (...args: never[]) => GrpcCall) => {
  const { method, message } = make(...(['a', 'b', 'c'] as never[]));
  const [service = '', name = ''] = method.split('/');
  const at = service.lastIndexOf('.');
  const schema = schemaOf(service.slice(0, at));
  expect(schema).toMatch(new RegExp(`service ${service.slice(at + 1)} \\{[^}]*rpc ${name}\\(`));
  const request = new RegExp(`message ${name}Request \\{([^}]*)\\}`).exec(schema)?.[1];
  for (const field of Object.keys(message)) expect(request).toContain(` ${field} = `);
});
