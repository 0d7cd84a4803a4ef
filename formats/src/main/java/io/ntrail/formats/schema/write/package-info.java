/** Layouts of payloads as mergers put them into recordings. */
@NullMarked
package io.ntrail.formats.schema.write;

import org.jspecify.annotations.NullMarked;
