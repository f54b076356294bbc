//! Fires of routines.

use palyra_api::routines as api;
use palyra_state::FirePage;

convert_fields! {
    FirePage => api::FireList { fires, next }
}
