import t from 'tap'
import { fold } from '../src/folding.ts'

t.test('each letter folds to one text, however it is written and whatever is beside it', async (t) => {
  const isMark = (one: string) => /[\p{M}\uff9e\uff9f]/u.test(one)
  let letters = 0
  for (let code = 0; code < 0x110000; code++) {
    const one = String.fromCodePoint(code)
    if (!/[\p{L}\p{M}\p{N}\p{S}]/u.test(one)) continue
    letters++
    const folded = fold(one)
    const ways = [folded, one.toUpperCase(), one.toLowerCase(), one.normalize('NFD'), one.normalize('NFKC')]
    const isSame = ways.every((way) => fold(way) === folded)
    const isApart = isMark(one) || fold(`ΑΣ${one}B`) === `ασ${folded}b`
    if (!isSame || !isApart) t.fail(`${code.toString(16)} ${one}`)
  }
  t.ok(letters > 100_000)
})

t.test('what languages write differently is one', async (t) => {
  const same: string[][] = [
    ['Straße', 'STRASSE', 'STRAẞE', 'strasse', 'stra\u00adsse'],
    ['Łódź', 'lodz', 'LO\u0301DZ'],
    ['Ёлка', 'елка'],
    ['İSTANBUL', 'istanbul', 'ıstanbul'],
    ['ΟΔΟΣ', 'οδός'],
    ['ﬁne', 'fine'],
    ['ガ', 'ｶﾞ', 'カ\u3099'],
    ['æsir', 'AESIR'],
  ]
  for (const [first = '', ...others] of same) {
    for (const other of others) t.equal(fold(other), fold(first), `${first} ${other}`)
  }
  t.not(fold('か'), fold('が'))
  t.not(fold('न'), fold('नि'))
})
