#!/usr/bin/env node
/**
 * The program `bindery`: the command line of the application in the current folder. It also starts
 * on a Node that is too old, to say so.
 */
import { keepCompiled } from './base/compile-cache.ts'
import { findNodeProblem } from './create/node-version.ts'

const problem = findNodeProblem(process.versions.node)
if (problem) {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
} else {
  keepCompiled()
  const { runOwnCommandLine } = await import('./cli/application.ts')
  await runOwnCommandLine()
}
