/** The library with a console of its own: name, logo, colour, rule, and modules. */
import { anyOf, defineConsole, defineResources, role } from 'bindery-server'
import { resources as library } from '../application/resources/index.ts'

export const libraryConsole = defineConsole({
  name: 'The <Library>',
  logo: './own/logo.svg',
  accent: '#8a3b12',
  access: anyOf([role('EDITOR'), role('ADMIN')]),
  modules: {
    'pages/stock-report': { file: './own/report.js', label: { en: 'Stock report', de: 'Bestand' } },
    'cells/edition.price': './own/price.js',
    'actions/edition.print': { file: './own/label.js', label: 'Print' },
  },
})

export const resources = defineResources([...library, libraryConsole])
