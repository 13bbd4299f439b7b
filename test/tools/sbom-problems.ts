import { Spec, Validation } from '@cyclonedx/cyclonedx-library';

interface Sbom {
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components: readonly { readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** The report of CycloneDX's own validator about a list of packages, and references in it that lead nowhere. */
export async function problemsOfSbom(text: string): Promise<readonly unknown[]> {
  const report = await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(text);
  const { metadata, components, dependencies } = JSON.parse(text) as Sbom;
  const refs = [metadata.component, ...components].map((component) => component['bom-ref']);
  const used = dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]);
  const dangling = used.filter((ref) => !refs.includes(ref));
  const twice = refs.filter((ref, at) => refs.indexOf(ref) !== at);
  return [...(report === null ? [] : [report]), ...dangling, ...twice];
}
