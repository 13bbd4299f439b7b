import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { containerd } from '../../tools/offline/debian-program.ts';
import { eventually } from '../cluster/stack-harness.ts';

const found = await containerd.support();

/** Why containerd cannot be started here; false: it can. */
export const cannotStartContainerd: string | false =
  found.by === 'none' ? found.reason : process.getuid?.() !== 0 && 'only root can start containerd';

/** An image as the kubelet sees it. */
interface ListedImage {
  readonly id: string;
  readonly tags: readonly string[];
}

export interface Containerd {
  /** Runs `ctr` in the namespace of the kubelet. Returns what it prints. */
  ctr(...args: readonly string[]): Promise<string>;
  /** Asks for an image as the kubelet does: by the name in a pod, with the interface for container runtimes (CRI). */
  imageOf(name: string): Promise<ListedImage | undefined>;
  stop(): Promise<void>;
}

/** Starts containerd with all its files in a folder, whose path must be short: it has sockets. */
export async function startContainerd(folder: string): Promise<Containerd> {
  if (found.by === 'none') throw new Error(found.reason);
  const socket = join(folder, 'c.sock');
  await mkdir(folder, { recursive: true });
  const unused = join(folder, 'cni');
  const config = {
    grpc: { address: socket },
    ttrpc: { address: `${socket}.ttrpc` },
    // A container runtime in a container has no overlayfs.
    'plugins."io.containerd.grpc.v1.cri".containerd': { snapshotter: 'native' },
    'plugins."io.containerd.grpc.v1.cri".cni': { bin_dir: unused, conf_dir: unused },
  };
  const sections = Object.entries(config).map(([name, values]) =>
    [`[${name}]`, ...Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)].join(
      '\n',
    ),
  );
  const [root, state] = [join(folder, 'root'), join(folder, 'state')].map((path) => JSON.stringify(path));
  const text = [`version = 2\nroot = ${root}\nstate = ${state}`, ...sections].join('\n');
  await writeFile(join(folder, 'config.toml'), text);
  const child = spawn(found.path, ['--config', join(folder, 'config.toml')], { stdio: 'ignore' });
  const program = join(dirname(found.path), 'ctr');
  const ctr = async (...args: readonly string[]): Promise<string> => {
    const all = ['--address', socket, '--namespace', 'k8s.io', ...args];
    return (await promisify(execFile)(program, all)).stdout;
  };
  await eventually('containerd answers', () =>
    ctr('version').then(
      () => true,
      () => false,
    ),
  );
  return {
    ctr,
    async imageOf(name) {
      const answer = await call(socket, 'ImageStatus', field(1, field(1, Buffer.from(name))));
      const [image] = fieldsOf(answer, 1);
      if (image === undefined) return undefined;
      return { id: String(fieldsOf(image, 1)[0]), tags: fieldsOf(image, 2).map(String) };
    },
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** Calls a method of the CRI's image service: gRPC with one request and one answer, as protocol buffers. */
async function call(socket: string, method: string, request: Buffer): Promise<Buffer> {
  const session = connectHttp2('http://localhost', { createConnection: () => connect(socket) });
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': `/runtime.v1.ImageService/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const prefix = Buffer.alloc(5); // not compressed, and the length
    prefix.writeUInt32BE(request.length, 1);
    stream.end(Buffer.concat([prefix, request]));
    const chunks: Buffer[] = [];
    let status: unknown;
    stream.on('trailers', (trailers) => {
      status = trailers['grpc-status'];
    });
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    if (status !== '0') throw new Error(`${method} ended with the status ${String(status)}`);
    return Buffer.concat(chunks).subarray(5);
  } finally {
    session.close();
  }
}

/** A field of a protocol buffer with bytes, of which there are fewer than 128. */
const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);

/** The values with bytes of a field. */
function fieldsOf(message: Buffer, wanted: number): readonly Buffer[] {
  const values: Buffer[] = [];
  let at = 0;
  const number = (): number => {
    let [value, shift] = [0, 1];
    for (;;) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
      shift *= 128;
    }
  };
  while (at < message.length) {
    const tag = number();
    if (tag % 8 !== 2) {
      number(); // the other values here are numbers
      continue;
    }
    const length = number();
    if (Math.floor(tag / 8) === wanted) values.push(message.subarray(at, at + length));
    at += length;
  }
  return values;
}
