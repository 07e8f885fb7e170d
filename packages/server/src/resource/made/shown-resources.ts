/** The resources that people know: a trash has the names of its resource. */
import type { Resource } from '../resolved-resource.ts'

type WithTraits = { readonly traits: { readonly made?: { readonly kind: string } } }

/** Whether it is the trash of another resource, beside which it is not shown. */
export function isTrash({ traits }: WithTraits): boolean {
  return traits.made?.kind === 'trash'
}

/** Whether its records are versions of those of another resource. */
export function isHistory({ traits }: WithTraits): boolean {
  return traits.made?.kind === 'history'
}

/** The resources that people know, in the order of the declarations. */
export function shownResources<R extends WithTraits>({
  resources,
}: {
  readonly resources: ReadonlyMap<string, R>
}): readonly R[] {
  return [...resources.values()].filter((one) => !isTrash(one))
}

/** The trash from which callers bring records back; undefined where there is none. */
export function restoringFrom({ trash }: Pick<Resource, 'trash'>): Resource | undefined {
  return trash?.takesOwn && trash.resource.access.restore ? trash.resource : undefined
}
