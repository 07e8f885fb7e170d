/** The parts of an application, by their kind and name. */
import type { DeclaredPart, PartType } from './application-part.ts'
import { notListed } from './check-parts.ts'

export type ApplicationParts = {
  /** The parts of a kind, in the order of the list. */
  of<P extends DeclaredPart>(type: PartType<P>): readonly P[]
  /** The part of this kind and name, for a name that was stored. */
  find<P extends DeclaredPart>(type: PartType<P>, name: string): P | undefined
  /** Throws an `Error` where the application does not list this part. */
  mustList(part: DeclaredPart): void
  /** The kinds of effects that do the work of parts. */
  workKinds(): readonly string[]
}

/** `parts`: checked. */
export function makeApplicationParts(parts: readonly DeclaredPart[]): ApplicationParts {
  const byType = Map.groupBy(parts, ({ partType }) => partType)
  const listed = new Set(parts)
  function of<P extends DeclaredPart>(type: PartType<P>): readonly P[] {
    return (byType.get(type as PartType) ?? []) as unknown as readonly P[]
  }
  return {
    of,
    find: (type, name) => of(type).find(({ partName }) => partName === name),
    mustList(part) {
      if (!listed.has(part)) throw notListed(part)
    },
    workKinds: () => parts.flatMap(({ partType, partName }) => partType.workKind?.(partName) ?? []),
  }
}
