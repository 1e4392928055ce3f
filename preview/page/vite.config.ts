import { defineConfig } from "vite";

// Nothing is inlined and nothing is fetched from elsewhere, for the server's policy is `default-src 'self'`.
export default defineConfig({
  base: "/",
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    assetsDir: "assets",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: "assets/licenses.txt" },
  },
});
