/** The kinds of effects that the declarations of an application leave. */
import type { Catalog } from '../catalog.ts'
import { effectKindName } from './declared-effect.ts'

export function declaredWorkKinds({ resources, parts }: Pick<Catalog, 'resources' | 'parts'>): readonly string[] {
  const ofResources = [...resources.values()].flatMap(({ name, effects }) =>
    Object.keys(effects).map((effect) => effectKindName(name, effect)),
  )
  return [...ofResources, ...parts.workKinds()]
}
