import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Daemon } from './daemon';

export interface Answer {
  /** Text, piece by piece. */
  readonly pieces?: readonly string[];
  /** Calls of tools, by the names that models see. */
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
  /** Holds the stream back after the first piece. */
  readonly until?: Promise<unknown>;
}

/** A model provider on loopback that speaks chat completions and answers what the test says, in order. */
export class Model {
  private readonly answers: Answer[] = [];
  readonly requests: { messages: { role: string; content: unknown }[] }[] = [];

  private constructor(private readonly server: Server) {}

  /** Starts it and makes it the default model of a daemon. */
  static async start(daemon: Daemon): Promise<Model> {
    const server = createServer();
    const model = new Model(server);
    server.on('request', (request, response) => void model.answer(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    await daemon.palyra('models', 'add', 'scripted', '--base-url', `http://127.0.0.1:${port}`, '--allow-loopback', '--model', 'scripted');
    return model;
  }

  /** What the next request is answered with. */
  next(...answers: Answer[]): void {
    this.answers.push(...answers);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: Buffer[] = [];
    for await (const piece of request) body.push(piece as Buffer);
    this.requests.push(JSON.parse(Buffer.concat(body).toString()) as Model['requests'][number]);
    const { pieces = [], calls = [], until } = this.answers.shift() ?? { pieces: ['No answer was prepared.'] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: unknown, finish_reason: string | null = null): void => {
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    };
    for (const [i, content] of pieces.entries()) {
      send({ content });
      if (i === 0) await until;
    }
    calls.forEach(({ name, arguments: given }, index) =>
      send({ tool_calls: [{ index, id: `call_${this.requests.length}_${index}`, type: 'function', function: { name, arguments: JSON.stringify(given) } }] }),
    );
    send({}, calls.length > 0 ? 'tool_calls' : 'stop');
    response.write(`data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 8 } })}\n\n`);
    response.end('data: [DONE]\n\n');
  }
}
