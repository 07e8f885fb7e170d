/**
 * `npm run api` writes a report of the exports of each public entry of the built package, with
 * their types, into `packages/server/api`. A test compares it: any name that is not in it is
 * private and may change.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { entries, kept } from './api-names.ts'

const none = { logLevel: ExtractorLogLevel.None }

type Places = { readonly folder: string; readonly target: string }

function configOf(entry: string, { folder, target }: Places): ExtractorConfig {
  const types = `dist/${entry}.d.ts`
  const compilerOptions = { target: 'es2023', module: 'nodenext', types: ['node'], strict: true, skipLibCheck: true }
  return ExtractorConfig.prepare({
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
        // A type that is mentioned and not exported appears in the report, so that a reviewer sees
        // it.
        extractorMessageReporting: {
          default: none,
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.None, addToApiReportFile: true },
        },
        tsdocMessageReporting: { default: none },
      },
    },
  })
}

const forgotten =
  /^\/\/ (?:(?<file>\S+?):\d+:\d+ - |Warning: )\(ae-forgotten-export\) The symbol "(?<name>\w+)" needs to be .*$/gm

/**
 * Names the types that are mentioned and not exported, without their lines: these change with any
 * comment above them.
 */
function withoutLines(report: string): string {
  return report.replaceAll(forgotten, (...found) => {
    const { file, name } = found.at(-1) as { file?: string; name: string }
    return `// Not exported: ${name}${file ? ` (${file})` : ''}`
  })
}

/**
 * `folder` has the built package. All entries are parts of one program, so that what they share is
 * compiled once.
 */
export function apiReports(folder: string): ReadonlyMap<string, string> {
  const target = mkdtempSync(join(tmpdir(), 'bindery-api-'))
  const configs = Object.entries(entries).map(([name, entry]) => ({
    name,
    config: configOf(entry, { folder, target }),
  }))
  const [first, ...others] = configs.map(({ config }) => config) as [ExtractorConfig, ...ExtractorConfig[]]
  const additionalEntryPoints = others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath)
  const isError = (level: string) => level === 'error' || level === 'warning'
  try {
    const compilerState = CompilerState.create(first, { additionalEntryPoints })
    const report = (name: string, config: ExtractorConfig) => {
      Extractor.invoke(config, {
        compilerState,
        localBuild: true,
        messageCallback(message) {
          message.handled = true
          if (isError(message.logLevel) && !message.messageId.startsWith('console-'))
            throw new Error(`${name}: ${message.text}`)
        },
      })
      return withoutLines(readFileSync(config.reportFilePath, 'utf8'))
    }
    return new Map(configs.map(({ name, config }) => [join(kept, `${name}.api.md`), report(name, config)]))
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  await import('./build.ts')
  mkdirSync(kept, { recursive: true })
  for (const [file, text] of apiReports(join(import.meta.dirname, '../packages/server'))) writeFileSync(file, text)
}
