/**
 * Programs that live tracing is tried on: made here, so that trying it needs no compiler and knows
 * every call that has to be recorded.
 */
package io.ntrail.live.selftest;
