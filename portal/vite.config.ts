/** Builds the portal into `dist`, which the service serves. `npm run dev` shows it over a service that runs (port 8080). */
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const service = process.env['PLIMSOLL_URL'] ?? 'http://localhost:8080'
const ofService = ['/workspaces', '/auth', '/me', '/whoami', '/openapi.json', '/docs', '/problems']

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: process.env['PLIMSOLL_PORTAL_OUT'] ?? 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // The nonce of the page covers styles; data: URLs would need a policy of their own.
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
  server: {
    proxy: Object.fromEntries(
      ofService.map((path) => [path, { target: service, changeOrigin: true }]),
    ),
  },
})
