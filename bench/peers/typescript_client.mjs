// SPDX-License-Identifier: MIT
// @modelcontextprotocol/client, as its own documentation uses it.
import { createRequire } from 'node:module';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { join } from './join.mjs';

const { dependencies } = createRequire(import.meta.url)('./package.json');

await join(dependencies['@modelcontextprotocol/client'], async ({ stdio, http }) => {
  const client = new Client({ name: 'hawser-bench', version: '1' });
  await client.connect(
    stdio
      ? new StdioClientTransport({ command: stdio[0], args: stdio.slice(1) })
      : new StreamableHTTPClientTransport(new URL(http)),
  );
  return client;
});
