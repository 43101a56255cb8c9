#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Plays the person in front of the browser: opens the page that stands in its last argument, fills in every form on the
// way, and goes where it is sent, until it is sent away from the server that it began with; that page it opens, too.
//
//   browser.mjs [--jar FILE] [--log FILE] [--deny] URL
//
// The jar is where cookies are kept from one time to the next; without it they last for one login. The log gets a line
// for each page: its path, without what stands in the query. With --deny the person says no when asked for consent.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

const words = process.argv.slice(2);
const after = (word) => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined);
const jarFile = after('--jar');
const logFile = after('--log');
const jar = new Map(jarFile && existsSync(jarFile) ? JSON.parse(readFileSync(jarFile, 'utf8')) : []);  // "origin path name" → value
const note = (line) => (logFile ? appendFileSync(logFile, `${line}\n`) : console.error(`browser: ${line}`));

function cookiesFor(url) {
  const fitting = [...jar].filter(([key]) => {
    const [origin, path] = key.split(' ');
    return origin === url.origin && (url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`));
  });
  return fitting.map(([key, value]) => `${key.split(' ')[2]}=${value}`).join('; ');
}

function keepCookies(url, answer) {
  for (const line of answer.headers.getSetCookie()) {
    const [pair, ...attributes] = line.split(/; */u);
    const of = (name) => attributes.find((one) => one.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
    const key = `${url.origin} ${of('path') ?? '/'} ${pair.slice(0, pair.indexOf('='))}`;
    const value = pair.slice(pair.indexOf('=') + 1);
    const over = of('max-age') === '0' || (of('expires') && Date.parse(of('expires')) <= Date.now());
    if (over || value === '') jar.delete(key);
    else jar.set(key, value);
  }
}

async function visit(url, form) {
  const headers = { cookie: cookiesFor(url), accept: 'text/html' };
  const answer = await fetch(url, { method: form ? 'POST' : 'GET', body: form, headers, redirect: 'manual' });
  keepCookies(url, answer);
  note(`${form ? 'POST' : 'GET'} ${url.origin}${url.pathname} ${answer.status}`);
  return answer;
}

const plain = (text) => text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
const attribute = (tag, name) => plain(new RegExp(`\\b${name}="([^"]*)"`, 'iu').exec(tag)?.[1] ?? '');

// What a person would do with a page: the form, filled in; or the link that says no.
function next(page, at) {
  const away = /<a [^>]*href="([^"]*abort[^"]*)"/iu.exec(page);
  if (words.includes('--deny') && away && /name="prompt" value="consent"/u.test(page)) return { url: new URL(plain(away[1]), at) };
  const form = /<form\b[^>]*>[\s\S]*?<\/form>/iu.exec(page)?.[0];
  if (!form) return undefined;
  const fields = new URLSearchParams();
  for (const [tag] of form.matchAll(/<input\b[^>]*>/giu)) {
    const typed = { login: 'ada', password: 'a password' }[attribute(tag, 'name')];
    if (attribute(tag, 'name')) fields.set(attribute(tag, 'name'), typed ?? attribute(tag, 'value'));
  }
  return { url: new URL(attribute(form, 'action') || at, at), fields };
}

let url = new URL(words.at(-1));
const home = url.origin;
let fields;
for (let pages = 0; pages < 20; ++pages) {
  const answer = await visit(url, fields);
  fields = undefined;
  if (answer.status >= 300 && answer.status < 400) {
    url = new URL(answer.headers.get('location'), url);
    continue;
  }
  const step = url.origin === home && answer.ok ? next(await answer.text(), url) : undefined;
  if (jarFile) writeFileSync(jarFile, JSON.stringify([...jar]), { mode: 0o600 });
  if (!step) {
    process.exitCode = answer.ok && url.origin !== home ? 0 : 1;
    note(process.exitCode ? `stays at ${url.origin}${url.pathname} with ${answer.status}` : 'done');
    break;
  }
  ({ url, fields } = step);
}
