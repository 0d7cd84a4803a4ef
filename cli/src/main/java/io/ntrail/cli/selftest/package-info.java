/**
 * {@code ntrail doctor --self-test}: runs the steps of docs/windows-checklist.md that need no
 * person, with the real commands and a program of its own, and reports what was seen.
 */
package io.ntrail.cli.selftest;
