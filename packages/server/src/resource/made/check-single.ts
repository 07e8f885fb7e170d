/** Finds mistakes in `single: true`: parts of a declaration that mean nothing for one record. */
import { operationsIn } from '../access/change-rule.ts'
import type { DeclarationCheck } from '../checks/declaration-check.ts'
import { engineTraits } from '../define.ts'
import { tenantPathOf } from '../tenancy/tenant-path.ts'
import { tenantNames } from '../tenancy/tenant-words.ts'
import { singleField, singleKey } from './single-resource.ts'

const one = 'there is one record'
const operations: Readonly<Record<string, string>> = {
  list: `${one}, which \`get\` reads`,
  create: 'the record exists from its defaults',
  delete: `${one}, which always exists; a \`replace\` with {} sets the defaults`,
  import: 'an update sends its values; the command line imports it',
  export: `${one}, which \`get\` reads`,
}
const members = {
  list: `${one}, and no list`,
  upsert: `${one}, which a \`replace\` writes`,
  addOnCreate: 'no request creates the record',
  trash: 'the record is never deleted',
} as const

function checkTenantOf({ declared, byName, tenancies, report }: DeclarationCheck): void {
  const found = tenantPathOf(declared, { byName, tenants: tenantNames(tenancies) })
  if (!found || 'problem' in found || found.path.length === 1) return
  if (found.path.length === 0) report('single', 'is not for the records of tenants')
  else report('single', `there is one for each tenant: "tenant" must refer to "${found.tenancy}" itself`)
}

/** Versions and links of the record refer to it, in tables of the engine. */
function checkReferencesTo({ declared, byName, report }: DeclarationCheck): void {
  for (const { name: other, fields, [engineTraits]: traits } of byName.values()) {
    if (traits?.made) continue
    for (const [name, { reference, virtual }] of Object.entries(fields)) {
      const target = virtual?.kind === 'links' ? virtual.resource : reference?.resource
      if (target === declared.name)
        report('single', `"${name}" of "${other}" refers to it: ${one}, so a reference says nothing`)
    }
  }
}

function checkFieldsOf({ declared, report }: DeclarationCheck, key: string): void {
  for (const [name, { required, unique: isUnique, default: value, setBy, type, virtual }] of Object.entries(
    declared.fields,
  )) {
    if (virtual || name === key || name === singleField) continue
    const at = `field "${name}"`
    if (type.places) report(at, `${one}, which needs no place in an order`)
    if (isUnique && !type.series) report(at, `unique: ${one}, so every value is unique`)
    if (required && value === undefined && setBy === undefined)
      report(at, 'required: the record exists before a value is sent, so it needs a default')
  }
}

export function checkSingle(context: DeclarationCheck): void {
  const { declared, report } = context
  const { access, unique = [] } = declared
  if (!declared.single) return
  if (declared.path === undefined) report('single', 'needs a path')
  for (const [name, why] of Object.entries(operations))
    if (operationsIn(access).has(name)) report(`access.${name}`, why)
  for (const [name, why] of Object.entries(members)) if (declared[name as keyof typeof members]) report(name, why)
  const key = singleKey(declared)
  if (unique.length > 1) report('unique', `${one}, so every value is unique`)
  checkFieldsOf(context, key)
  checkTenantOf(context)
  checkReferencesTo(context)
}
