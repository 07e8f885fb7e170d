/** The tenant that the page is about, and the choice of another one: its button opens a list to type in. */
import { useState } from 'react'
import { go, placeIn, useAddress } from '../address/router.ts'
import { type TenantKind, useTenantKinds } from '../api/tenants.ts'
import { useTitle } from '../api/titles.ts'
import { loaded } from '../shell/loaded.tsx'
import type { Command } from '../shell/palette.tsx'
import { inSentence, t } from '../words/words.ts'

const Palette = loaded(() => import('../shell/palette.tsx').then((part) => part.Palette))

/** Another tenant has other records: the page goes to the list, or stays where there is none. */
function choose(tenant: string | undefined, parts: readonly string[]): void {
  go(placeIn(tenant, parts[0]?.startsWith('_') ? parts : parts.slice(0, 1)))
}

function commandsOf(kinds: readonly TenantKind[], parts: readonly string[]): readonly Command[] {
  const all = { id: '_all', label: allOf(kinds), run: () => choose(undefined, parts) }
  const named = kinds.flatMap(({ label, own }) =>
    own.map(({ name, title }) => ({ id: name, label: `${label}: ${title}`, run: () => choose(name, parts) })),
  )
  return [all, ...named]
}

const allOf = (kinds: readonly TenantKind[]) =>
  t('allTenants', { plural: kinds.map(({ plural }) => inSentence(plural)).join(', ') })

function Title({ kind, tenant }: { readonly kind: TenantKind; readonly tenant: string }) {
  const known = kind.own.find(({ name }) => name === tenant)
  const id = tenant.slice(kind.name.length + 1)
  const asked = useTitle(kind.resource, id)
  return `${kind.label}: ${known?.title ?? asked ?? id}`
}

export function TenantBar() {
  const { tenant, parts } = useAddress()
  const { data: kinds = [] } = useTenantKinds()
  const [isOpen, setOpen] = useState(false)
  if (tenant === undefined && kinds.every(({ own }) => own.length === 0)) return null
  const kind = kinds.find(({ name }) => tenant?.startsWith(`${name}:`))
  return (
    <>
      <button type="button" className="tenant" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {tenant === undefined || !kind ? (tenant ?? allOf(kinds)) : <Title kind={kind} tenant={tenant} />}
        <span aria-hidden="true"> ▾</span>
      </button>
      {isOpen && (
        <Palette label={t('chooseTenant')} commands={commandsOf(kinds, parts)} onClose={() => setOpen(false)} />
      )}
    </>
  )
}
