/**
 * Intel Processor Trace from the other side: an encoder, random programs whose flow a processor of
 * others tells, and libipt. Written from the facts alone, apart from the decoder.
 */
@NullMarked
package io.ntrail.testkit.pt;

import org.jspecify.annotations.NullMarked;
