/**
 * Writes ETW recordings ({@code .etl}) on its own account: every constant and layout here was
 * spelled again from the format's documents, so that a reader that agrees with it agrees with a
 * second reading of them.
 *
 * <p>Start with {@link io.ntrail.testkit.etl.EtlWriter}; {@link io.ntrail.testkit.etl.EtlRecords}
 * makes records, {@link io.ntrail.testkit.etl.Damage} spoils files.
 */
@NullMarked
package io.ntrail.testkit.etl;

import org.jspecify.annotations.NullMarked;
