/** Preloaded module: prints on standard error which packages a program loads. */
import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, next) {
    const found = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)
    if (found) process.stderr.write(`loads ${found[1]}\n`)
    return next(url, context)
  },
})
