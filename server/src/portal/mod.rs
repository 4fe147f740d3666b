//! What the pages ask for, answered by the services: the adapter behind `app::port::Portal`, one per request.

mod calendar;
mod edits;
mod finder;
mod notices;
mod rules;
mod upkeep;

use app::port::Portal;
use async_trait::async_trait;
use domain::error::ApiError;
use domain::id::{HostId, ReservationId, UserId};
use domain::reservation::NewReservation;
use domain::user::Act;
use domain::wire::live_v1::Fleet;
use domain::wire::page::{
    Account, Admin, BookingPage, Bookings, EnrolCode, Frame, HostPage, LinkCode, NewAccount, Person, SetUp, SignIn,
};
use domain::zone::ZoneTable;

use crate::auth::{Caller, session};
use crate::service::{Services, accounts, fleet, host_page, hosts, links, notices as told, setup};
use crate::zone;

/// The portal as one caller sees it.
pub struct RequestPortal {
    /// The services.
    pub services: Services,
    /// The caller.
    pub caller: Caller,
}

#[async_trait]
impl Portal for RequestPortal {
    async fn frame(&self) -> Result<Frame, ApiError> {
        let viewer = self.caller.viewer()?.cloned();
        let now = self.services.clock.now();
        let zone = self.caller.zone.as_deref().map_or_else(ZoneTable::utc, |name| zone::table(name, now));
        // Nobody signs in before there is an administrator.
        let needs_setup = viewer.is_none() && setup::is_needed(&self.services).await?;
        let unread = match &viewer {
            Some(viewer) => told::unread(&self.services, viewer.id).await?,
            None => 0,
        };
        Ok(Frame { viewer, zone, now, needs_setup, insecure_http: self.services.site.insecure_http, unread })
    }
    async fn set_up(&self, ask: SetUp) -> Result<(), ApiError> {
        let user = setup::set_up(&self.services, ask, self.caller.address).await?;
        session::begin(&self.caller.session, user).await
    }
    async fn sign_up(&self, ask: NewAccount) -> Result<(), ApiError> {
        let user = accounts::sign_up(&self.services, ask).await?;
        session::begin(&self.caller.session, user).await
    }
    async fn sign_in(&self, ask: SignIn) -> Result<(), ApiError> {
        let user = accounts::sign_in(&self.services, ask, self.caller.address).await?;
        session::begin(&self.caller.session, user).await
    }
    async fn sign_out(&self) -> Result<(), ApiError> {
        session::end(&self.caller.session).await
    }
    async fn account(&self) -> Result<Account, ApiError> {
        let viewer = self.caller.person()?;
        let zone = self.caller.zone.clone().unwrap_or_else(|| "UTC".to_owned());
        Ok(accounts::own(&self.services, viewer, zone).await?)
    }
    async fn set_zone(&self, zone: String) -> Result<(), ApiError> {
        Ok(accounts::set_zone(&self.services, self.caller.person()?, &zone).await?)
    }
    async fn link_code(&self) -> Result<LinkCode, ApiError> {
        let viewer = self.caller.may(Act::LinkAccount)?;
        Ok(links::make_code(&self.services, viewer).await?)
    }
    async fn people(&self) -> Result<Vec<Person>, ApiError> {
        self.caller.may(Act::ViewFleet)?;
        Ok(crate::store::users::people(&self.services.pool).await?)
    }
    async fn fleet(&self) -> Result<Fleet, ApiError> {
        self.caller.may(Act::ViewFleet)?;
        fleet::fleet(&self.services.pool, &self.services.clock, &self.services.live).await
    }
    async fn host_page(&self, name: String) -> Result<HostPage, ApiError> {
        self.caller.may(Act::ViewFleet)?;
        host_page::host_page(&self.services.pool, &self.services.clock, &self.services.live, &name).await
    }
    async fn book(&self, ask: NewReservation) -> Result<ReservationId, ApiError> {
        self.services.reservations.from_address(self.caller.address).book(self.caller.may(Act::Book)?, &ask).await
    }
    async fn bookings(&self) -> Result<Bookings, ApiError> {
        self.services.booking_list.all(self.caller.may(Act::ViewFleet)?).await
    }
    async fn booking(&self, id: ReservationId) -> Result<BookingPage, ApiError> {
        self.services.booking_list.one(self.caller.may(Act::ViewFleet)?, id).await
    }
    async fn cancel(&self, id: ReservationId) -> Result<(), ApiError> {
        self.services.reservations.from_address(self.caller.address).cancel(self.caller.person()?, id).await
    }
    async fn end_now(&self, id: ReservationId) -> Result<(), ApiError> {
        self.services.reservations.from_address(self.caller.address).end_now(self.caller.person()?, id).await
    }
    async fn admin(&self) -> Result<Admin, ApiError> {
        self.caller.may(Act::ManageHosts)?;
        Ok(hosts::overview(&self.services).await?)
    }
    async fn enrol_code(&self, host_name: String) -> Result<EnrolCode, ApiError> {
        self.caller.may(Act::ManageHosts)?;
        Ok(hosts::enrol_code(&self.services, &host_name).await?)
    }
    async fn revoke_host(&self, host: HostId) -> Result<(), ApiError> {
        self.caller.may(Act::ManageHosts)?;
        Ok(hosts::revoke(&self.services, host).await?)
    }
    async fn rotate_host(&self, host: HostId) -> Result<(), ApiError> {
        self.caller.may(Act::ManageHosts)?;
        Ok(hosts::ask_rotation(&self.services, host).await?)
    }
    async fn retire_host(&self, host: HostId) -> Result<(), ApiError> {
        self.caller.may(Act::ManageHosts)?;
        Ok(hosts::retire(&self.services, host).await?)
    }
    async fn take_back_host(&self, host: HostId) -> Result<(), ApiError> {
        self.caller.may(Act::ManageHosts)?;
        Ok(hosts::take_back(&self.services, host).await?)
    }
    async fn map_account(&self, host: Option<HostId>, os_user: String, person: UserId) -> Result<(), ApiError> {
        self.caller.may(Act::MapAccounts)?;
        Ok(hosts::map_account(&self.services, host, &os_user, person).await?)
    }
    async fn unmap_account(&self, host: Option<HostId>, os_user: String, person: UserId) -> Result<(), ApiError> {
        let viewer = self.caller.person()?;
        Ok(hosts::unmap_account(&self.services, viewer, host, &os_user, person).await?)
    }
}
