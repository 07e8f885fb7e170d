/**
 * The write steps of files, on every path of a write. The first come before hooks, which see the
 * facts of files. The others come last: versions are stored by then.
 */
import type { WriteStep } from '../../record/stages.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { attachingStep, namingStep } from './claim-files.ts'
import { fileHolders } from './file-places.ts'
import { removingStep, replacingStep } from './release-files.ts'

/** All steps of writes, with those of files around them; the same where no field holds files. */
export function withFileSteps(catalog: Catalog, steps: readonly WriteStep[]): readonly WriteStep[] {
  const { files } = catalog
  if (!files) return steps
  const holders = fileHolders(catalog)
  const last = holders.flatMap((holder) => [
    attachingStep(holder, files),
    replacingStep(holder, files),
    ...holder.places.map((place) => removingStep(holder, place, files)),
  ])
  return [...holders.map((holder) => namingStep(holder, files)), ...steps, ...last]
}
