import t from 'tap'
import { createHostCheck } from '../../src/access/host-names.ts'

t.test('the names of this machine are accepted, at any port', async (t) => {
  const isKnown = createHostCheck([])
  const known = [
    'localhost',
    'LocalHost:80',
    '127.0.0.1',
    '127.0.0.1:3000',
    '127.9.9.9:1',
    '[::1]',
    '[::1]:3000',
  ]
  for (const host of [...known, 'localhost:']) {
    t.equal(isKnown(host), true, host)
    t.equal(isKnown(host), true, 'again')
  }
  t.equal(isKnown(undefined), true, 'no browser sends a request without the header')
})

t.test('all other names are refused, however similar they are', async (t) => {
  const isKnown = createHostCheck([])
  const foreign = [
    '',
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    'evil-localhost',
    'evil.example@localhost',
    'localhost@evil.example',
    'localhost:3000.evil.example',
    'localhost:evil.example',
    'localhost, evil.example',
    'localhost evil.example',
    '127.0.0.1.evil.example',
    '128.0.0.1',
    '192.168.0.1:3000',
    '0.0.0.0',
    '::1',
    '[::1',
    '[::2]',
    '[::1].evil.example',
    '[::1]evil',
    '[localhost]x',
    ':3000',
  ]
  for (const host of foreign) {
    t.equal(isKnown('localhost'), true)
    t.equal(isKnown(host), false, host)
    t.equal(isKnown(host), false, 'again')
  }
})

t.test('the names of allowed origins are accepted', async (t) => {
  const isKnown = createHostCheck([
    'https://board.example',
    'http://app.example:5173',
    'http://[fd00::1]:8080',
  ])
  for (const host of ['board.example', 'Board.Example:443', 'app.example', 'app.example:5173'])
    t.equal(isKnown(host), true, host)
  t.equal(isKnown('[fd00::1]:8080'), true)
  for (const host of ['sub.board.example', 'example', 'board.example.evil.example', 'xboard.example'])
    t.equal(isKnown(host), false, host)
})
