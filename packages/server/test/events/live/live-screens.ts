/**
 * A page with one list in three ways: the store of `client.live()` in React, react-admin with its
 * live provider, and Refine with its own. It is bundled, and runs in a browser.
 */
import { type DataProvider, Refine, useList } from '@refinedev/core'
import { createClient } from 'bindery-server/client'
import * as admin from 'bindery-server/react-admin'
import * as refine from 'bindery-server/refine'
import { CoreAdminContext, memoryStore, TestMemoryRouter, useDataProvider, useGetList } from 'ra-core'
import { createElement as h, useEffect, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'

type Note = { readonly id: string; readonly title: string }
type Page = {
  readonly location: { readonly origin: string }
  readonly document: { getElementById(id: string): never }
  readonly loggedIn: { readonly email: string; readonly password: string }
}

const { location, document, loggedIn } = globalThis as unknown as Page
const client = createClient({ url: location.origin })
const live = client.live('notes')
const sort = { field: 'rank', order: 'ASC' } as const

function Titles({ name, notes }: { readonly name: string; readonly notes: readonly unknown[] }) {
  const titles = (notes as readonly Note[]).map(({ title }) => title).sort()
  return h('p', { id: name }, titles.join(' '))
}

function StoreScreen() {
  const { records } = useSyncExternalStore(live.subscribe, live.getSnapshot)
  return h(Titles, { name: 'store', notes: records })
}

function AdminScreen() {
  const provider = useDataProvider()
  const { data = [], refetch } = useGetList('notes', { pagination: { page: 1, perPage: 100 }, sort })
  useEffect(() => {
    const listen = () => void refetch()
    void provider.subscribe('resource/notes', listen)
    return () => void provider.unsubscribe('resource/notes', listen)
  }, [provider, refetch])
  return h(Titles, { name: 'admin', notes: data })
}

function RefineScreen() {
  const { result } = useList({ resource: 'notes', pagination: { currentPage: 1, pageSize: 100 } })
  return h(Titles, { name: 'refine', notes: result.data })
}

await client.logIn(loggedIn)
const ofAdmin = { ...admin.makeDataProvider(client), ...admin.makeLiveProvider(client) }
const ofRefine: DataProvider = refine.makeDataProvider(client)
const screens = h(
  'div',
  null,
  h(StoreScreen),
  h(
    TestMemoryRouter,
    null,
    h(CoreAdminContext, { dataProvider: ofAdmin as never, store: memoryStore() }, h(AdminScreen)),
  ),
  h(
    Refine,
    {
      dataProvider: ofRefine,
      liveProvider: refine.makeLiveProvider(client) as never,
      options: { liveMode: 'auto', disableTelemetry: true },
    },
    h(RefineScreen),
  ),
)
createRoot(document.getElementById('screens')).render(screens)
