/** Feathers 5 with Knex over the tables of the hand-written routes, as its generator lays it out. Run where its packages are. Arguments: port, file. */
import { feathers } from '@feathersjs/feathers'
import { KnexService } from '@feathersjs/knex'
import { bodyParser, errorHandler, koa, parseAuthentication, rest } from '@feathersjs/koa'
import knex from 'knex'

const [port, file] = process.argv.slice(2)
const Model = knex({ client: 'better-sqlite3', connection: { filename: file }, useNullAsDefault: true })
await Model.raw('PRAGMA cache_size = -65536')
await Model.raw('PRAGMA mmap_size = 268435456')
const app = koa(feathers())
app.use(errorHandler())
app.use(parseAuthentication())
app.use(bodyParser())
app.configure(rest())
app.use('products', new KnexService({ Model, name: 'products', id: 'id', paginate: { default: 20, max: 100 } }))
await app.listen(Number(port), '127.0.0.1')
