import { describe, expect, it } from 'vitest';
import { readTape } from './tape';

const TAPE = `{"tape":{"schema":"palyra.tape/v2","module_sha256":"3e","engine":"wasmtime","input":"{\\"step\\":5}","grants":["storage:counter/"],"limits":{"fuel_budget":10}}}
{"step":{"op":"storage.get","request":{"key":"counter/n"},"answer":{"Ok":null}}}
{"step":{"op":"http.send","request":{"method":"GET","url":"https://a.example/x"},"answer":{"Ok":{"status":200}}}}
{"step":{"op":"http.send","request":{"method":"GET","url":"https://b.example/"},"answer":{"Err":"not granted"}}}
not json
{"end":{"outcome":"ok","output":"{\\"count\\":5}","fuel":1339,"open":false}}
`;

describe('readTape', () => {
  it('reads_input_limits_and_output', () => {
    expect(readTape(TAPE)).toMatchObject({ input: '{"step":5}', output: '{"count":5}', outcome: 'ok', grants: ['storage:counter/'], limits: { fuel_budget: 10 } });
  });
  it('survives_an_empty_or_cut_tape', () => {
    expect(readTape('').outcome).toBe('unknown');
    expect(readTape(TAPE.slice(0, 300))).toMatchObject({ outcome: 'unknown', grants: ['storage:counter/'] });
  });
});
