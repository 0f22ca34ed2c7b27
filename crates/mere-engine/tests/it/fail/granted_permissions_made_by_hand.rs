use mere_core::chain::ToolGrant;
use mere_engine::policy::GrantedPermissions;

fn forge(grant: ToolGrant) -> GrantedPermissions {
    GrantedPermissions { grant }
}

fn main() {}
