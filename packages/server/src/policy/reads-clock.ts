/** Tells which answers depend on the time: those of resources with a rule that reads the clock. */
import type { Resource } from '../resource/catalog.ts'
import { rulesOfResource } from '../resource/rules/walk-rules.ts'
import type { PolicyContext } from './judge.ts'

/** Whether an answer that shows such records depends on the time. */
export type ReadsClock = (resource: Resource) => boolean

export function makeReadsClock(context: PolicyContext): ReadsClock {
  const known = new Map<Resource, boolean>()
  return (resource) => {
    const found = known.get(resource)
    if (found !== undefined) return found
    const rules = [...rulesOfResource(resource)]
    const reads = rules.some(([, rule]) => rule.type.judgesBy(rule, { ...context, resource }).includes('clock'))
    known.set(resource, reads)
    return reads
  }
}
