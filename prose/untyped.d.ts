/** Libraries that come without types. */
declare module 'passive-voice' {
  const find: (text: string) => { readonly index: number; readonly offset: number }[]
  export = find
}
declare module 'textlint-rule-write-good' {
  import type { TextlintRuleModule } from '@textlint/types'

  const rule: { readonly default: TextlintRuleModule }
  export = rule
}
