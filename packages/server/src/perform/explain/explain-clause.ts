/**
 * Explains one rule on one record: the verdict of each of its clauses, and the values that they
 * compared. A clause on a record or a field that the asker may not read is `hidden`. So is every
 * clause above it whose verdict does not follow from the others.
 */
import { isShownByAll } from '../../operation/visible-fields.ts'
import type { Policy } from '../../policy/policy.ts'
import type { RuleNode } from '../../policy/rule-tree.ts'
import { type RowJudge, rowHolds } from '../../record/row-holds.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import type { Principal } from '../../resource/principal.ts'
import { fieldsOf, relatedIn } from '../../storage/derived/match.ts'
import type { Values } from '../../storage/storage.ts'
import { type ClauseVerdict, type ExplainedClause, verdictFromParts } from './clause.ts'
import { comparedValues } from './compared-values.ts'

export type ExplainContext = RowJudge & {
  readonly policy: Policy
  /** The caller to whom the explanation is shown. */
  readonly asker: Principal
  /** Whether the asker may not read the record: a write may find more than reading does. */
  readonly isHidden: boolean
}

type ClauseVisibility = { readonly isHidden: boolean; readonly parts: readonly ExplainedClause[] }

async function verdictOf(context: ExplainContext, node: RuleNode, row: Values | undefined): Promise<ClauseVerdict> {
  const { holds, fails, resource } = node
  if (holds.kind === 'true') return 'holds'
  if (fails.kind === 'true') return 'fails'
  if (holds.kind === 'false' && fails.kind === 'false') return 'unknown'
  if (!row) return holds.kind === 'false' ? 'fails' : 'depends'
  if (await rowHolds(context, { resource, where: holds, row })) return 'holds'
  return (await rowHolds(context, { resource, where: fails, row })) ? 'fails' : 'unknown'
}

/** Whether the whole rule admits the record, as the caller learns by trying. */
export async function outcomeOnRow(
  context: ExplainContext,
  node: RuleNode,
  row: Values | undefined,
): Promise<ClauseVerdict> {
  return (await verdictOf(context, node, row)) === 'holds' ? 'holds' : 'fails'
}

/** Whether the verdict follows from the caller alone. */
function isConstant({ holds, fails }: RuleNode): boolean {
  return [holds, fails].every(({ kind }) => kind === 'true' || kind === 'false')
}

/** Whether the asker may read some, and not all, records of a resource. */
function readsPart({ policy, asker }: ExplainContext, resource: Resource): boolean {
  return policy.viewOfChildren(asker, resource).where.kind !== 'true'
}

/** A field that only some records show counts as hidden. */
function reads({ policy, asker, isHidden }: ExplainContext, resource: Resource, field: string): boolean {
  return !isHidden && isShownByAll(policy.visibleFields(asker, resource), field)
}

/**
 * Whether the clause itself compares a field, of the record or of the caller, that is hidden, or
 * looks at other records that may be.
 */
function comparesHidden(context: ExplainContext, { resource, holds, fails, facts, parts }: RuleNode): boolean {
  const { catalog } = context
  const names = [holds, fails].flatMap((where) => [...fieldsOf(resource, where)])
  if (names.some((name) => !reads(context, resource, name))) return true
  const others = parts.length > 0 ? [] : [holds, fails].flatMap(relatedIn)
  if (others.some((one) => readsPart(context, catalog.get(one.resource)))) return true
  const { self } = catalog
  if (!self) return false
  return facts.some((fact) => fact.startsWith('field:') && !reads(context, self, fact.slice('field:'.length)))
}

/** Whether the clause, or a part of it at any depth, compares a hidden field. */
function comparesHiddenBelow(context: ExplainContext, node: RuleNode): boolean {
  return comparesHidden(context, node) || node.parts.some((part) => comparesHiddenBelow(context, part))
}

function hiddenClause({ at, words, isNegated, isAlternative }: RuleNode): ExplainedClause {
  return { at, rule: words, verdict: 'hidden', compared: [], parts: [], isNegated, isAlternative }
}

/** The record that a reference names, where the asker may read it. */
async function linkedRow(
  { reader, policy, asker }: ExplainContext,
  resource: Resource,
  id: Scalar,
): Promise<Values | undefined> {
  const { where } = policy.view(asker, resource)
  return (await reader.find(resource, all(equal(resource.idField, id), where)))?.row
}

/** A part about the record that a reference names. */
async function explainLinked(
  context: ExplainContext,
  part: RuleNode,
  { resource, field, row: outer }: { readonly resource: Resource; readonly field: string; readonly row: Values },
): Promise<ExplainedClause | undefined> {
  if (!reads(context, resource, field)) return hiddenClause(part)
  const id = (outer[field] ?? null) as Scalar | null
  if (id === null) return undefined // there is no record to judge
  const row = await linkedRow(context, part.resource, id)
  return row ? explainClause(context, part, row) : hiddenClause(part)
}

async function partsOf(
  context: ExplainContext,
  { parts, resource: own }: RuleNode,
  row: Values | undefined,
): Promise<ClauseVisibility> {
  const explained: ExplainedClause[] = []
  let isHidden = false
  for (const part of parts) {
    const { link, resource } = part
    if (!link || !row) explained.push(await explainClause(context, part, row))
    else if (link.at === undefined) {
      const one = await explainLinked(context, part, { resource: own, field: link.field, row })
      if (one) explained.push(one)
    } else {
      // It judges several records: their verdict is told where the asker may read all of them.
      isHidden ||= readsPart(context, resource) || comparesHiddenBelow(context, part)
    }
  }
  return { isHidden: isHidden || explained.some(({ verdict }) => verdict === 'hidden'), parts: explained }
}

/** `row`: undefined where the rule is asked about no record. */
export async function explainClause(
  context: ExplainContext,
  node: RuleNode,
  row: Values | undefined,
): Promise<ExplainedClause> {
  const { at, words, resource, holds, fails, isNegated, isAlternative } = node
  const found = await partsOf(context, node, row)
  const isLeaf = node.parts.length === 0
  const isHidden = found.isHidden || (isLeaf && comparesHidden(context, node))
  const hides = isHidden && row !== undefined && !isConstant(node)
  const compared = isLeaf && !isHidden ? comparedValues({ resource, row }, holds.kind === 'false' ? fails : holds) : []
  return {
    at,
    rule: words,
    verdict: hides ? verdictFromParts(found.parts) : await verdictOf(context, node, row),
    compared,
    parts: found.parts,
    isNegated,
    isAlternative,
  }
}
