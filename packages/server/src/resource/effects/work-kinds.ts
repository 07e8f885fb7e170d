/** The kinds of effects that the declarations of an application leave. */
import type { Catalog } from '../catalog.ts'
import { endpointType } from '../endpoints/check-endpoint.ts'
import { scanKindNames, scansOf } from '../fields/files/file-scan.ts'
import { effectKindName } from './declared-effect.ts'

export function declaredWorkKinds({ resources, parts }: Pick<Catalog, 'resources' | 'parts'>): readonly string[] {
  const ofResources = [...resources.values()].flatMap((resource) => {
    const { name, effects, traits } = resource
    const scans = traits.made ? [] : scansOf(resource)
    return [
      ...Object.keys(effects).map((effect) => effectKindName(name, effect)),
      ...scans.flatMap(([field]) => scanKindNames(resource, field)),
    ]
  })
  return [...ofResources, ...parts.workKinds()]
}

/** Whether the application has code outside of transactions, which may open one. */
export function hasOutsideCode(catalog: Pick<Catalog, 'resources' | 'parts'>): boolean {
  return declaredWorkKinds(catalog).length > 0 || catalog.parts.of(endpointType).length > 0
}
