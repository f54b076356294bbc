import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type ProxyOptions } from 'vite';

/**
 * Development talks to a running daemon through this proxy: `PALYRA_URL` is its address and
 * `PALYRA_TOKEN` a token that the proxy adds, so the page works without a console session.
 */
function daemonProxy(): Record<string, ProxyOptions> {
  const target = process.env.PALYRA_URL ?? 'http://127.0.0.1:7437';
  const token = process.env.PALYRA_TOKEN;
  const options: ProxyOptions = {
    target,
    changeOrigin: true,
    headers: token ? { authorization: `Bearer ${token}` } : undefined,
    configure(proxy) {
      // The daemon accepts requests from its own origin only; the proxy is the client here.
      proxy.on('proxyReq', (request) => {
        for (const name of ['origin', 'referer', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'cookie']) {
          if (token || name !== 'cookie') request.removeHeader(name);
        }
      });
    },
  };
  return { '/v1': options, '/console': options };
}

/** As strict as the daemon serves the page, so that a preview fails where the daemon would. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export default defineConfig({
  plugins: [react(), tailwindcss({ optimize: false })],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
  },
  server: { proxy: daemonProxy() },
  preview: { proxy: daemonProxy(), headers: { 'content-security-policy': CONTENT_SECURITY_POLICY } },
});
