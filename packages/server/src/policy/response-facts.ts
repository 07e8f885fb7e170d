/**
 * The facts of a caller on which a response depends: those by which the rules decide its records
 * and their fields. Callers for whom they are equal can share a cached response. The console is
 * left out, because it has no responses over the network.
 */
import { type CallerFacts, uniteFacts } from '../resource/caller-facts.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Rule } from '../resource/rule.ts'
import type { FieldSets } from './field-sets.ts'
import type { PolicyContext } from './judge.ts'

type FactsRequest = { readonly resource: Resource; readonly operation: string; readonly access?: Rule }

export type ResponseFacts = {
  /** Which fields of these records are shown. */
  ofFields(resource: Resource): CallerFacts
  /**
   * An answer to this operation: whether there is one, of which records, with what they show of
   * others. None where it is the same for all.
   */
  of(asked: FactsRequest): CallerFacts
  /** The same where the request names no field. */
  ofUnasked(asked: FactsRequest): CallerFacts
  /** Any answer that shows records. */
  readonly ofAll: CallerFacts
}

export function makeResponseFacts(context: PolicyContext, fields: FieldSets): ResponseFacts {
  const { catalog, settings } = context

  const ofRule = (resource: Resource, rule: Rule | undefined): CallerFacts =>
    rule ? rule.type.judgesBy(rule, { catalog, settings, resource }) : []

  /** A key without the scope counts as no credential, and so does an operator that views a user. */
  function withScopes(facts: CallerFacts): CallerFacts {
    const told = facts.filter((fact) => fact !== 'console' && fact !== 'clock')
    return told.length === 0 ? told : uniteFacts([told, ['scopes', 'viewer']])
  }

  /** `ofFields`: the facts of the fields that the answer may show. */
  function factsBy(ofFields: (resource: Resource) => CallerFacts) {
    const known = new Map<Resource, CallerFacts>()

    /** With the records that these show as their parts, whose own rule decides which there are. */
    function ofRecords(resource: Resource, above: readonly Resource[] = []): CallerFacts {
      const found = known.get(resource)
      if (found) return found
      const ofVirtual = resource.virtualNames.map((name): CallerFacts => {
        const virtual = resource.fields[name]?.virtual
        if (virtual?.kind === 'current-session') return ['session']
        const part =
          virtual?.kind === 'embedded' || virtual?.kind === 'links' ? catalog.get(virtual.resource) : undefined
        return !part || above.includes(part) ? [] : ofRecords(part, [...above, resource])
      })
      const facts = uniteFacts([ofFields(resource), ofRule(resource, resource.access.get), ...ofVirtual])
      if (above.length === 0) known.set(resource, facts)
      return facts
    }

    function of({ resource, operation, access }: FactsRequest): CallerFacts {
      const returned = resource.actions[operation]?.returns
      const shown = [resource, ...(returned === undefined ? [] : [catalog.get(returned)])].map((one) => ofRecords(one))
      return withScopes(uniteFacts([ofRule(resource, access ?? resource.access[operation]), ...shown]))
    }

    return { of, ofRecords }
  }

  const { of, ofRecords } = factsBy(fields.readFacts)
  return {
    ofFields: fields.readFacts,
    of,
    ofUnasked: factsBy(fields.shownFacts).of,
    ofAll: withScopes(uniteFacts([...catalog.resources.values()].map((one) => ofRecords(one)))),
  }
}
