/**
 * `npm run api`: writes down what each public entry of the built package exports, with its types, in `packages/server/api`. A test compares
 * it: whatever is not there is private and may change.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'

/** The files of types, by the names of their reports. */
const entries: Readonly<Record<string, string>> = {
  'bindery-server': 'index',
  'bindery-server-test': 'testing/index',
  'bindery-server-client': 'client/index',
  'bindery-server-react-admin': 'client/react-admin',
  'bindery-server-refine': 'client/refine',
}
const kept = join(import.meta.dirname, '../packages/server/api')
const none = { logLevel: ExtractorLogLevel.None }

function reportOf(folder: string, entry: string): string {
  const target = mkdtempSync(join(tmpdir(), 'bindery-api-'))
  const types = `dist/${entry}.d.ts`
  const compilerOptions = { target: 'es2023', module: 'nodenext', types: ['node'], strict: true, skipLibCheck: true }
  const config = ExtractorConfig.prepare({
    configObjectFullPath: join(folder, 'api-extractor.json'),
    packageJsonFullPath: join(folder, 'package.json'),
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, types),
      compiler: { overrideTsconfig: { compilerOptions, files: [types] } },
      apiReport: { enabled: true, reportFileName: 'report.api.md', reportFolder: target, reportTempFolder: target },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        // A type that is mentioned and not exported stands in the report, so that nobody overlooks it.
        extractorMessageReporting: {
          default: none,
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.None, addToApiReportFile: true },
        },
        tsdocMessageReporting: { default: none },
      },
    },
  })
  try {
    const isError = (level: string) => level === 'error' || level === 'warning'
    Extractor.invoke(config, {
      localBuild: true,
      messageCallback(message) {
        message.handled = true
        if (isError(message.logLevel) && !message.messageId.startsWith('console-'))
          throw new Error(`${entry}: ${message.text}`)
      },
    })
    return readFileSync(join(target, 'report.api.md'), 'utf8')
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}

/** `folder` has the built package. */
export function apiReports(folder: string): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(entries).map(([name, entry]) => [join(kept, `${name}.api.md`), reportOf(folder, entry)]),
  )
}

if (import.meta.main) {
  await import('./build.ts')
  mkdirSync(kept, { recursive: true })
  for (const [file, text] of apiReports(join(import.meta.dirname, '../packages/server'))) writeFileSync(file, text)
}
