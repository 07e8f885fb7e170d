/**
 * A declaration with every feature of a list: filters, sorts and a search, each of which needs an
 * index. For tests of SQL and plans.
 */
import {
  atLeast,
  atMost,
  boolean,
  defineResource,
  equals,
  id,
  includes,
  isTrue,
  money,
  text,
  timestamp,
} from '../../src/index.ts'
import { parseList } from '../../src/operation/list-query.ts'
import { onAllRecords } from '../../src/operation/visible-fields.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'

const lamps = defineResource({
  name: 'lamp',
  path: '/lamps',
  fields: {
    id: id(),
    name: text({ required: true }),
    maker: text(),
    kind: text(),
    inStock: boolean({ default: true }),
    price: money({ required: true, min: 0 }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  list: {
    style: 'page',
    sortable: ['id', 'name', 'kind', 'price', 'createdAt'],
    defaultSort: '-createdAt',
    filters: {
      kind: equals('kind'),
      maker: includes('maker'),
      inStock: isTrue('inStock'),
      minPrice: atLeast('price'),
      maxPrice: atMost('price'),
    },
    search: ['name', 'kind'],
  },
  access: {},
})

export const lampCatalog = makeCatalog([lamps])
export const lamp = lampCatalog.get('lamp')
const visible = new Set(lamp.fieldNames)

/** `?kind=Desk&sort=price` → the list query for lamps. Throws as for a client. */
export function parseLamps(query: string | Iterable<readonly [string, string]>) {
  const pairs = typeof query === 'string' ? new URLSearchParams(query) : query
  return parseList({ resource: lamp, visible, visibleWhere: onAllRecords }, new Map(pairs)).query
}
