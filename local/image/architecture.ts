/** A processor for which there is an image, by its name in OCI images and in Debian. */
export type Architecture = 'amd64' | 'arm64';

/** The other names of an architecture. */
interface Names {
  /** In npm's packages of Node, and in `process.arch`. */
  readonly node: string;
  /** In the names of Debian's folders and of the programs of binutils. */
  readonly triplet: string;
  /** The program that loads the libraries of another. Its path is written in each program. */
  readonly loader: string;
}

export const architectures: Readonly<Record<Architecture, Names>> = {
  amd64: { node: 'x64', triplet: 'x86_64-linux-gnu', loader: 'lib64/ld-linux-x86-64.so.2' },
  arm64: { node: 'arm64', triplet: 'aarch64-linux-gnu', loader: 'lib/ld-linux-aarch64.so.1' },
};

export const architectureNames = Object.keys(architectures) as readonly Architecture[];

/** The architecture of this machine. Undefined if there is no image for it. */
export const ownArchitecture: Architecture | undefined = architectureNames.find(
  (name) => architectures[name].node === process.arch,
);
