/** The declarations of a server and of commands beside it, on one SQLite file. */
import { defineResource, integerId, text } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'

export const mugCatalog = makeCatalog([
  defineResource({
    name: 'mug',
    path: '/mugs',
    changes: true,
    access: {},
    list: { style: 'page' },
    fields: { id: integerId(), label: text() },
  }),
])
export const mugs = mugCatalog.get('mug')

/** As a server has it that serves its file alone, and a command. */
export const servedHeldMs = 5
