/**
 * Machine code to decode, and what other decoders say about it: functions of PE images, random
 * strings of bytes biased to the crowded parts of the opcode space, Zydis through a small C program
 * that is compiled when a test asks for it, and objdump.
 */
@NullMarked
package io.ntrail.testkit.code;

import org.jspecify.annotations.NullMarked;
