/** `npm run golden`: writes `openapi.json` and `schema.graphql` anew. Their tests fail when they drift from the declarations. */
import { writeFileSync } from 'node:fs'
import { resources } from '../../resources/index.ts'
import { printSdl } from '../../src/graphql/sdl.ts'
import { makeOpenapi } from '../../src/openapi/openapi.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'

const catalog = makeCatalog(resources)
const settings = { currency: 'USD', signUp: 'open' } as const
writeFileSync('openapi.json', `${JSON.stringify(makeOpenapi(catalog, settings), null, 2)}\n`)
writeFileSync('schema.graphql', printSdl(catalog, settings))
process.stdout.write('openapi.json and schema.graphql are written\n')
