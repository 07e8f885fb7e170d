/** Runs the command line of the application in the current folder. */
import { existsSync } from 'node:fs'
import { findApplication, loadApplication } from './load-application.ts'
import { runProgram } from './program.ts'

/** Variables that the environment lacks come from the folder's `.env`. */
export async function runOwnCommandLine(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const findFile = () => findApplication(process.cwd())
  await runProgram({ findFile, loadDeclarations: () => loadApplication(findFile()) }, process.argv.slice(2))
}
