/** The frame of all pages: bar, menu, palette, messages, and the page of the address. */

import type { ResourceSummary } from 'bindery-server/client'
import { type ComponentType, useEffect, useState } from 'react'
import { go, hrefOf, placeIn, useAddress } from '../address/router.ts'
import { look } from '../api/console-facts.ts'
import { useOperates, useResources } from '../api/declarations.ts'
import { useViewable, viewAs } from '../api/view-as.ts'
import { showView, useView } from '../api/viewing.ts'
import { ListPage } from '../list/list-page.tsx'
import { operatePages } from '../operate/operate-pages.ts'
import { useOperatePages } from '../operate/use-operate-pages.ts'
import { TenantBar } from '../session/tenant-bar.tsx'
import { ViewBar } from '../session/view-bar.tsx'
import { t } from '../words/words.ts'
import { Boundary } from './boundary.tsx'
import { sayError } from './form-errors.ts'
import { loaded } from './loaded.tsx'
import { listed, Menu, MenuButton, PlaceLink } from './menu.tsx'
import { NothingPage } from './nothing-page.tsx'
import { Notices, notifyError } from './notices.tsx'
import type { Command } from './palette.tsx'
import { ShownOnce } from './shown-once.tsx'
import { isShortcut, useKey } from './use-key.ts'
import { OpenWhy, openWhy, useWhy } from './why.tsx'

const RecordPage = loaded(() => import('../record/record-page.tsx').then((part) => part.RecordPage))
const OwnPage = loaded(() => import('../extend/own-page.tsx').then((part) => part.OwnPage))
const AccountPage = loaded(() => import('../session/account-page.tsx').then((part) => part.AccountPage))
const loadPalette = () => import('./palette.tsx').then((part) => part.Palette)
const Palette = loaded(loadPalette)
const pageOf: ReadonlyMap<string, ComponentType> = new Map(operatePages.map(({ name, load }) => [name, loaded(load)]))

/** The tenant of the address may be none of the caller's. */
function Failed({ error, retry }: { readonly error: Error; retry(): void }) {
  const { tenant } = useAddress()
  return (
    <p role="alert">
      {tenant === undefined ? sayError(error) : t('noTenant', { problem: sayError(error) })}{' '}
      <button type="button" onClick={tenant === undefined ? retry : () => go(placeIn(undefined, []))}>
        {t(tenant === undefined ? 'retry' : 'leaveTenant')}
      </button>
    </p>
  )
}

/** The list that the address of the console itself shows. */
function firstSlug(resources: readonly ResourceSummary[]): string | undefined {
  return listed(resources).find(({ engine, unlisted }) => !engine && !unlisted)?.slug
}

function Page({ parts }: { readonly parts: readonly string[] }) {
  const { data: resources, error, refetch } = useResources()
  const [part, id] = parts
  if (error && !resources) return <Failed error={error} retry={() => void refetch()} />
  if (!resources) return <p className="quiet">{t('loading')}</p>
  if (part === '_operate') {
    const Operate = pageOf.get(id ?? '')
    return Operate ? <Operate /> : <NothingPage />
  }
  if (part === '_account') return <AccountPage />
  if (part === '_own') return <OwnPage key={id} name={id ?? ''} />
  const slug = part ?? firstSlug(resources)
  const resource = resources.find((one) => one.slug === slug)
  if (slug === undefined || !resource) return <NothingPage />
  if (resource.single) return <RecordPage key={slug} parts={[slug, ...parts.slice(1)]} />
  return id === undefined ? <ListPage key={slug} slug={slug} /> : <RecordPage key={parts.join('/')} parts={parts} />
}

type ShellProps = { readonly person: string; onLogOut(): void }

export function Shell({ person, onLogOut }: ShellProps) {
  const { parts, tenant } = useAddress()
  const { data: resources = [] } = useResources()
  const [isAsking, setAsking] = useState(false)
  const [isMenu, setMenu] = useState(false)
  useKey(isShortcut('k'), () => setAsking(true))
  // Keys that are typed while it loads would be lost.
  useEffect(() => void loadPalette(), [])
  const operates = useOperates()
  const pages = useOperatePages()
  const view = useView()
  const viewable = useViewable(resources, isAsking && operates)
  const { refusals } = useWhy()
  const commands: Command[] = [
    ...listed(resources).map(({ slug, plural }) => ({
      id: slug,
      label: t('goTo', { plural }),
      run: () => go(hrefOf([slug])),
    })),
    ...pages.map(({ name }) => ({
      id: `_operate/${name}`,
      label: t('goTo', { plural: t(name) }),
      run: () => go(hrefOf(['_operate', name])),
    })),
    ...viewable.map((one) => ({
      id: `_view-as/${one.id}`,
      label: t('viewAs', one),
      run: () => void viewAs(one).catch(notifyError),
    })),
    ...(refusals.length > 0 ? [{ id: '_why', label: t('whyTitle'), run: openWhy }] : []),
    ...(view ? [{ id: '_end-view', label: t('endView'), run: () => showView(undefined) }] : []),
    { id: '_account', label: t('goTo', { plural: t('account') }), run: () => go(hrefOf(['_account'])) },
    { id: '_log-out', label: t('logOut'), run: onLogOut },
  ]
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {t('skip')}
      </a>
      <header className="bar">
        <MenuButton isOpen={isMenu} onPress={() => setMenu(!isMenu)} />
        <strong>
          {look.logo && <img className="logo" src={look.logo} alt="" />}
          {look.name}
        </strong>
        <TenantBar />
        <ViewBar />
        <button type="button" onClick={() => setAsking(true)}>
          {t('commands')} <kbd>Ctrl K</kbd>
        </button>
        <span className="person">
          <PlaceLink parts={['_account']} label={person} isHere={parts[0] === '_account'} />
        </span>
        <button type="button" onClick={onLogOut}>
          {t('logOut')}
        </button>
      </header>
      <Menu
        resources={resources}
        here={parts.length > 0 ? parts : [firstSlug(resources) ?? '']}
        isOpen={isMenu}
        onClose={() => setMenu(false)}
      />
      <main id="main" tabIndex={-1}>
        <Boundary key={[tenant, ...parts].join('/')}>
          <Page parts={parts} />
        </Boundary>
      </main>
      <OpenWhy />
      <ShownOnce />
      <Notices />
      {isAsking && <Palette commands={commands} onClose={() => setAsking(false)} />}
    </div>
  )
}
