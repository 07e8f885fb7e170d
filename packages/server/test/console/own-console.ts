/** The library with a console of its own: look, rule, widgets, and modules of each kind. */
import {
  anyOf,
  anyone,
  defineConsole,
  defineResource,
  defineResources,
  id,
  integer,
  money,
  role,
  sharedViews,
  text,
} from 'bindery-server'
import { resources as library } from '../application/resources/index.ts'
import { file, tidy } from '../jobs/mailroom.ts'

const posters = defineResource({
  name: 'poster',
  path: '/posters',
  fields: {
    id: id(),
    name: text({ required: true }),
    about: text({ maxLength: 5_000 }),
    notes: text(),
    site: text(),
    mail: text(),
    phone: text(),
    ink: text(),
    price: money(),
    width: integer(),
  },
  list: { style: 'page', bulk: true, filterable: ['name'] },
  access: { read: anyone, write: role('EDITOR') },
  display: {
    title: 'name',
    widgets: { about: 'markdown', notes: 'longText', site: 'url', mail: 'email', phone: 'phone', ink: 'color' },
  },
})

export const libraryConsole = defineConsole({
  name: 'The <Library>',
  logo: './own/logo.svg',
  accent: '#8a3b12',
  access: anyOf([role('EDITOR'), role('ADMIN')]),
  modules: {
    'pages/stock-report': { file: './own/report.js', label: { en: 'Stock report', de: 'Bestand' } },
    'cells/edition.price': './own/price.js',
    'actions/edition.print': { file: './own/label.js', label: 'Print' },
    'widgets/poster.width': './own/width.js',
  },
})

const views = sharedViews({ users: 'member', share: role('EDITOR') })

/** With work beside its resources, which has pages for operators. */
export const resources = defineResources([...library, posters, views, libraryConsole, file, tidy])
