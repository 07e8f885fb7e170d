/** `bindery openapi`: the OpenAPI document of the declarations. */
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { loadCatalog } from './console.ts'
import type { Output } from './output.ts'

export function addOpenapi(program: Command, output: Output): void {
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .addHelpText('after', '\nExamples:\n  $ bindery openapi > openapi.json\n  $ bindery openapi --json | jq .paths')
    .action(async () => {
      const { settings } = readConfig()
      const { makeOpenapi } = await import('../openapi/openapi.ts')
      const document = makeOpenapi(await loadCatalog(), settings)
      await (output.json ? output.value(document) : output.write(`${JSON.stringify(document, null, 2)}\n`))
    })
}
